from inventory import Warehouse
from inventory.reorder import restock_report


def make(on_hand, reorder_point=10, pack_size=6):
    w = Warehouse()
    w.add_item("TEA-01", "Green tea", reorder_point=reorder_point, pack_size=pack_size)
    if on_hand:
        w.receive("TEA-01", on_hand)
    return w


def test_plenty_in_stock_is_not_reported():
    assert restock_report(make(50)) == []


def test_suggestion_is_whole_packs():
    (s,) = restock_report(make(3))
    assert s.quantity == s.packs * 6
    assert s.quantity >= 17


def test_items_without_a_reorder_point_are_never_reported():
    assert restock_report(make(0, reorder_point=0)) == []
