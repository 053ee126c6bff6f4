"""Episodes: tasks, sessions, the Gymnasium environment and its spaces."""
