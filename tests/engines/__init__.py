"""One suite over every engine, and a second engine that shows what each of them answers."""
