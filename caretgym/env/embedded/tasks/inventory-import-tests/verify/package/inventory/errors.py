"""What can go wrong."""


class InventoryError(Exception):
    """Base of all errors."""


class UnknownItem(InventoryError):
    def __init__(self, sku: str) -> None:
        super().__init__(f"no item with the SKU {sku!r}")
        self.sku = sku


class DuplicateItem(InventoryError):
    def __init__(self, sku: str) -> None:
        super().__init__(f"there is already an item with the SKU {sku!r}")
        self.sku = sku


class InsufficientStock(InventoryError):
    def __init__(self, sku: str, wanted: int, available: int) -> None:
        super().__init__(f"{sku}: {wanted} wanted, {available} available")
        self.sku, self.wanted, self.available = sku, wanted, available
