"""Whatever acts: scripted, random, replayed and HTTP policies."""
