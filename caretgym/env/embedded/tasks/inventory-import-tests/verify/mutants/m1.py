"""Reading items and stock from a CSV file."""

import csv
from typing import TextIO

from inventory.errors import InventoryError
from inventory.warehouse import Warehouse

COLUMNS = ("sku", "name", "reorder_point", "pack_size", "on_hand")


class ImportProblem(InventoryError):
    """A row that can't be taken; ``line`` counts from 1, the header included."""

    def __init__(self, line: int, message: str) -> None:
        super().__init__(f"line {line}: {message}")
        self.line = line


def import_items(warehouse: Warehouse, file: TextIO) -> int:
    """Add the file's items; returns how many. Nothing is added if any row is bad."""
    reader = csv.DictReader(file)
    missing = [name for name in COLUMNS if name not in (reader.fieldnames or ())]
    if missing:
        raise ImportProblem(1, f"missing columns: {', '.join(missing)}")
    rows = []
    for row in reader:
        try:
            numbers = [int(row[name]) for name in COLUMNS[2:]]
        except (TypeError, ValueError):
            raise ImportProblem(reader.line_num - 1, "reorder_point, pack_size and on_hand must be whole numbers") from None
        rows.append((row["sku"].strip(), row["name"].strip(), *numbers))
    for sku, name, reorder_point, pack_size, on_hand in rows:
        warehouse.add_item(sku, name, reorder_point=reorder_point, pack_size=pack_size)
        if on_hand:
            warehouse.receive(sku, on_hand)
    return len(rows)
