"""Episodes: the Gymnasium environment, tasks, sessions, verification; see the README beside this file."""
