import pytest

from unveil.values.search_space import Candidate, SearchSpace
from unveil.workflows.choosing.points import grid, plan_key, pool


def space_of(*ranges):
    steps = [{"method": f"step {i}", "p": one} for i, one in enumerate(ranges)]
    return SearchSpace(combination=[{"name": "only", "mask": steps}])


@pytest.mark.parametrize(
    ("values", "every"),
    [
        ({"from": 3, "to": 4}, {3, 4}),
        ({"from": 0, "to": 9}, set(range(10))),
        ({"from": 2, "to": 90, "log": True}, set(range(2, 91))),
        ({"any": ["a", "b", "c"]}, {"a", "b", "c"}),
        ({"any": [1, 2, 5], "or_none": True}, {1, 2, 5, None}),
        ({"from": 1, "to": 7, "log": True, "or_none": True}, {*range(1, 8), None}),
    ],
)
def test_the_pool_has_every_value_once(values, every):
    space = space_of(values)
    tables = [space.tables(one) for one in pool(space, [Candidate("only", (0.4,))], 10, seed=1)]
    found = [table[0]["p"] if table else None for table in tables]
    assert set(found) == every
    assert len(found) == len(every)


def test_the_pool_of_many_plans_is_even_and_has_the_ends():
    space = space_of({"from": 0.0, "to": 1.0}, {"from": 1, "to": 1000})
    points = [one.point for one in pool(space, [], 2000, seed=1)]
    assert len(points) == 2000
    assert sum(a < 0.5 and b < 0.5 for a, b in points) == pytest.approx(500, abs=10)
    for axis in (0, 1):
        for end in (0, 1):
            assert 100 < sum(point[axis] == end for point in points) < 250
    assert pool(space, [], 9, seed=1) == pool(space, [], 9, seed=1) != pool(space, [], 9, seed=2)


def test_the_pool_has_points_around_the_best():
    space = space_of(*[{"from": 0.0, "to": 1.0}] * 2)
    even = {one.point for one in pool(space, [], 9, seed=1)}
    best = [Candidate("only", (0.5, 1.0))]
    around = {one.point for one in pool(space, best, 9, seed=1)} - even
    assert all(0 <= place <= 1 for point in around for place in point)
    assert all((point[0] == 0.5) or (point[1] == 1.0) for point in around)
    assert {(0.75, 1.0), (0.25, 1.0), (0.5, 0.75)} <= around


def test_the_grid_has_no_plan_twice():
    space = space_of({"from": 3, "to": 4}, {"any": ["a"]})
    assert [tuple(table["p"] for table in space.tables(one)) for one in grid(space)] == [
        (4, "a"), (3, "a")
    ]  # fmt: skip
    assert len({plan_key(space, one) for one in grid(space)}) == 2
