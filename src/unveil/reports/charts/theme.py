"""The look of the charts, in colours that the colour-blind can tell apart (Okabe and Ito)."""

from typing import Any

BLUE, RED, GREEN, ORANGE = "#0072B2", "#D55E00", "#009E73", "#E69F00"
SKY, PURPLE, GREY = "#56B4E9", "#CC79A7", "#666666"
PALETTE = (BLUE, RED, GREEN, ORANGE, PURPLE, SKY, GREY, "#F0E442", "#882255")
WIDTH = 640  # of figures that are files
FONT = "system-ui, 'Segoe UI', 'DejaVu Sans', Helvetica, Arial, sans-serif"
INK, FAINT = "#222222", "#dddddd"

CONFIG: dict[str, Any] = {
    "font": FONT,
    "background": None,
    "view": {"stroke": None},
    "axis": {
        "labelColor": INK,
        "titleColor": INK,
        "labelFontSize": 12,
        "titleFontSize": 12,
        "titleFontWeight": "normal",
        "labelLimit": 150,
        "gridColor": FAINT,
        "domainColor": "#888888",
        "tickColor": "#888888",
    },
    "legend": {
        "orient": "top",
        "direction": "horizontal",
        "labelColor": INK,
        "labelFontSize": 12,
        "titleColor": INK,
        "columns": 2,
        "labelLimit": 330,
        "layout": {"top": {"direction": "vertical", "margin": 4, "anchor": "end"}},
    },
    "axisQuantitative": {"tickCount": 6},
    "title": {"color": INK, "anchor": "start", "fontSize": 14},
    "text": {"color": INK, "fontSize": 12},
    "range": {"category": list(PALETTE)},
    "line": {"strokeWidth": 2.5},
    "bar": {"cornerRadiusEnd": 2},
}
