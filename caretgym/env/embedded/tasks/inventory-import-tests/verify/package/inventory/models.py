"""Plain records."""

from dataclasses import dataclass, field


@dataclass
class Item:
    """One kind of thing in stock. Quantities are pieces."""

    sku: str
    name: str
    reorder_point: int = 0
    pack_size: int = 1
    on_hand: int = 0
    reservations: dict[str, int] = field(default_factory=dict)

    @property
    def reserved(self) -> int:
        return sum(self.reservations.values())

    @property
    def available(self) -> int:
        return self.on_hand - self.reserved


@dataclass(frozen=True)
class Movement:
    """A change of what is on hand. ``quantity`` is negative for what leaves."""

    sku: str
    quantity: int
    reason: str
