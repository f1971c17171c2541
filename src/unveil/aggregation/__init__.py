"""Many numbers into one: fuzzy measures and the operators that use them."""
