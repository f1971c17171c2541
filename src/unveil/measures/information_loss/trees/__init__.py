"""Decision trees on categories (C4.5) as a test of utility; `prediction` has boosted trees."""
