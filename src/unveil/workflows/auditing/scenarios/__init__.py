"""The scenarios of an audit: who might attack, with what knowledge, and what he achieves."""
