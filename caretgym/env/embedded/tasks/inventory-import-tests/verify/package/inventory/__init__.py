"""Stock keeping for a small shop."""

from inventory.errors import DuplicateItem, InsufficientStock, InventoryError, UnknownItem
from inventory.models import Item, Movement
from inventory.warehouse import Warehouse

__all__ = ["DuplicateItem", "InsufficientStock", "InventoryError", "Item", "Movement", "UnknownItem", "Warehouse"]
