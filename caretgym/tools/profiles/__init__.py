"""The tables: one module per profile lists its rows; rows are grouped by tool family in the other modules."""
