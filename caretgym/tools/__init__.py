"""What an agent may call: one module per tool, on top of the simulated IDE."""
