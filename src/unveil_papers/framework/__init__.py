"""What every paper shares: trials, their journal, printed figures, comparisons; no paper itself."""
