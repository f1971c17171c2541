"""Progress: one signature for every verb."""

from collections.abc import Callable

# What a verb calls while it works, in the calling thread: with the task at hand, how much of all
# tasks is done, and the total; 0 where the total is not known. The same task may come again.
Progress = Callable[[str, float, float], None]
