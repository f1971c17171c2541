"""A chart layer by layer: which column is on which axis, and what each colour stands for."""

from unveil.reports import theme
from unveil.reports.charts import specification

COLOURS = {
    getattr(theme, name): name.lower()
    for name in ("BLUE", "RED", "GREEN", "ORANGE", "SKY", "PURPLE", "GREY")
}


def layers(exhibit):
    """What the layers of a chart show, each as a dictionary."""
    table, drawn = exhibit.table.records(), specification(exhibit)
    return [_layer(one, table, _rows(drawn | one)) for one in drawn["layer"]]


def _rows(layer):
    """The rows of a layer, which may be those of all of them."""
    data = layer["data"]
    return data["values"] if "values" in data else layer["datasets"][data["name"]]


def _layer(layer, table, drawn):
    mark = layer["mark"]
    # Rows as they are in the table, and perhaps with a label more.
    rows = [{key: row[key] for key in table[0]} for row in drawn]
    found = {"mark": mark["type"], "rows": [table.index(row) for row in rows]}
    for key in ("color", "strokeDash"):
        if key in mark:
            found[key] = _called(mark[key])
    for channel, given in layer["encoding"].items():
        if channel != "tooltip":
            found |= _channel(channel, given)
    made = {one["as"]: one["calculate"] for one in layer.get("transform", []) if "calculate" in one}
    for one in layer.get("transform", []):
        if "fold" in one:
            kind = one["as"][0]
            words = made.pop(kind, None)
            found["kinds"] = {key: _word(key, kind, words) for key in one["fold"]}
    return found | {"made": made} if made else found


def _channel(channel, given):
    if "field" not in given:
        return {}
    field = given["field"]
    if "aggregate" in given:
        field = f"{given['aggregate']} of {field}"
    found, scale = {channel: field}, given.get("scale") or {}
    if channel in ("color", "shape", "strokeDash"):
        named = scale.get("range", ["as it comes"] * len(scale["domain"]))
        found[channel] = {field: dict(zip(scale["domain"], map(_called, named), strict=True))}
    elif "domain" in scale:
        found[f"{channel} domain"] = scale["domain"]
    if given.get("title"):
        found[f"{channel} title"] = given["title"]
    if "sort" in given:
        found[f"{channel} sort"] = given["sort"]
    return found


def _called(one):
    return one if isinstance(one, list) else COLOURS.get(one, one)


def _word(key, field, calculated):
    """What a folded column is called, by what is calculated of its name."""
    if calculated is None:
        return key
    parts = [part.rpartition(" ? ") for part in calculated.split(" : ")]
    asked = ("", f"datum.{field} == '{key}'")
    return next(word.strip("'") for question, _, word in parts if question in asked)
