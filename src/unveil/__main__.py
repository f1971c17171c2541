"""``python -m unveil``."""

from unveil.cli.main import main

main()
