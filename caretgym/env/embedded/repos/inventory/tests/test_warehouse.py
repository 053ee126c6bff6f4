import pytest

from inventory import DuplicateItem, InsufficientStock, UnknownItem, Warehouse


@pytest.fixture
def warehouse():
    w = Warehouse()
    w.add_item("TEA-01", "Green tea", reorder_point=10, pack_size=6)
    w.receive("TEA-01", 24)
    return w


def test_available_is_on_hand_minus_reserved(warehouse):
    warehouse.reserve("TEA-01", 20, order="A")
    assert warehouse.available("TEA-01") == 4
    assert warehouse.item("TEA-01").on_hand == 24


def test_cannot_reserve_more_than_available(warehouse):
    warehouse.reserve("TEA-01", 20, order="A")
    with pytest.raises(InsufficientStock):
        warehouse.reserve("TEA-01", 5, order="B")


def test_release_and_ship(warehouse):
    warehouse.reserve("TEA-01", 5, order="A")
    assert warehouse.release("TEA-01", order="A") == 5
    warehouse.reserve("TEA-01", 7, order="B")
    assert warehouse.ship("TEA-01", order="B") == 7
    assert warehouse.item("TEA-01").on_hand == 17
    assert [m.quantity for m in warehouse.movements] == [24, -7]


def test_unknown_and_duplicate(warehouse):
    with pytest.raises(UnknownItem):
        warehouse.available("NOPE")
    with pytest.raises(DuplicateItem):
        warehouse.add_item("TEA-01", "again")
