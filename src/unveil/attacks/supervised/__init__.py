"""The worst case of a distance, learnt from the truth, with a proof of its bound."""
