"""The published tables and claims of five papers, reproduced over the public names of unveil.

A folder for each paper, a grid of every attack against every mask, what they share (`framework`)
and the command `unveil papers`; no mask, attack or measure is defined here.
"""
