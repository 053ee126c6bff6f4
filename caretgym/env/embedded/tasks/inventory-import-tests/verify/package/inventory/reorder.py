"""What to order again, and how much."""

from dataclasses import dataclass

from inventory.models import Item
from inventory.warehouse import Warehouse


@dataclass(frozen=True)
class Suggestion:
    """Order ``quantity`` pieces (whole packs) of an item."""

    sku: str
    quantity: int
    packs: int


def needs_reorder(item: Item) -> bool:
    """Whether an item has fallen to its reorder point."""
    return item.reorder_point > 0 and item.available <= item.reorder_point


def suggestion(item: Item) -> Suggestion:
    """How much brings an item back to its target level, in whole packs."""
    missing = 2 * item.reorder_point - item.available
    packs = -(-missing // item.pack_size)
    return Suggestion(item.sku, packs * item.pack_size, packs)


def restock_report(warehouse: Warehouse) -> list[Suggestion]:
    """Suggestions for all items that need one, by SKU."""
    return [suggestion(item) for item in warehouse.items() if needs_reorder(item)]
