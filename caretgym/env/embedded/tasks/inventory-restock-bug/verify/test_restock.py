import pytest

from inventory import Warehouse
from inventory.reorder import needs_reorder, restock_report, suggestion


def make(on_hand, reserved=0, reorder_point=10, pack_size=6):
    w = Warehouse()
    w.add_item("TEA-01", "Green tea", reorder_point=reorder_point, pack_size=pack_size)
    if on_hand:
        w.receive("TEA-01", on_hand)
    if reserved:
        w.reserve("TEA-01", reserved, order="A")
    return w


def test_reserved_stock_does_not_count():
    (s,) = restock_report(make(12, 9))
    assert (s.sku, s.quantity, s.packs) == ("TEA-01", 18, 3)


@pytest.mark.parametrize(("on_hand", "reserved", "expected"), [(10, 0, True), (11, 0, False), (11, 1, True), (30, 19, False)])
def test_at_the_reorder_point(on_hand, reserved, expected):
    assert needs_reorder(make(on_hand, reserved).item("TEA-01")) is expected


@pytest.mark.parametrize("pack_size", [1, 4, 6, 7, 25])
@pytest.mark.parametrize("on_hand", range(11))
def test_suggestion_reaches_the_target_with_as_few_packs_as_possible(on_hand, pack_size):
    s = suggestion(make(on_hand, pack_size=pack_size).item("TEA-01"))
    assert s.quantity == s.packs * pack_size
    assert on_hand + s.quantity >= 20
    assert on_hand + s.quantity - pack_size < 20


def test_no_reorder_point():
    assert restock_report(make(0, reorder_point=0)) == []
