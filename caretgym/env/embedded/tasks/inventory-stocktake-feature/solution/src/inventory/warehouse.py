"""The warehouse: items and what happens to them."""

from collections.abc import Iterator

from inventory.errors import DuplicateItem, InsufficientStock, UnknownItem
from inventory.models import Item, Movement


class Warehouse:
    """Items by SKU, with a history of movements."""

    def __init__(self) -> None:
        self._items: dict[str, Item] = {}
        self.movements: list[Movement] = []

    def add_item(self, sku: str, name: str, *, reorder_point: int = 0, pack_size: int = 1) -> Item:
        """Register an item with no stock."""
        if sku in self._items:
            raise DuplicateItem(sku)
        if pack_size < 1:
            raise ValueError("pack_size must be at least 1")
        if reorder_point < 0:
            raise ValueError("reorder_point can't be negative")
        item = Item(sku, name, reorder_point, pack_size)
        self._items[sku] = item
        return item

    def item(self, sku: str) -> Item:
        """The item with this SKU."""
        try:
            return self._items[sku]
        except KeyError:
            raise UnknownItem(sku) from None

    def items(self) -> Iterator[Item]:
        """All items, by SKU."""
        return iter(sorted(self._items.values(), key=lambda item: item.sku))

    def available(self, sku: str) -> int:
        """Pieces that can still be promised."""
        return self.item(sku).available

    def receive(self, sku: str, quantity: int) -> None:
        """Goods have come in."""
        if quantity < 1:
            raise ValueError("quantity must be at least 1")
        self.item(sku).on_hand += quantity
        self.movements.append(Movement(sku, quantity, "received"))

    def reserve(self, sku: str, quantity: int, *, order: str) -> None:
        """Promise pieces to an order; more than once adds up."""
        if quantity < 1:
            raise ValueError("quantity must be at least 1")
        item = self.item(sku)
        if quantity > item.available:
            raise InsufficientStock(sku, quantity, item.available)
        item.reservations[order] = item.reservations.get(order, 0) + quantity

    def release(self, sku: str, *, order: str) -> int:
        """Give an order's pieces back; returns how many."""
        return self.item(sku).reservations.pop(order, 0)

    def ship(self, sku: str, *, order: str) -> int:
        """Send an order's reserved pieces out; returns how many."""
        item = self.item(sku)
        quantity = item.reservations.pop(order, 0)
        if quantity:
            item.on_hand -= quantity
            self.movements.append(Movement(sku, -quantity, f"shipped for {order}"))
        return quantity

    def adjust(self, sku: str, counted: int) -> int:
        """A stocktake found ``counted`` pieces; returns the difference. Too few for the reservations is refused."""
        if counted < 0:
            raise ValueError("counted can't be negative")
        item = self.item(sku)
        if counted < item.reserved:
            raise InsufficientStock(sku, item.reserved, counted)
        difference = counted - item.on_hand
        if difference:
            item.on_hand = counted
            self.movements.append(Movement(sku, difference, "stocktake"))
        return difference
