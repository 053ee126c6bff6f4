import pytest

from inventory import InsufficientStock, UnknownItem, Warehouse


@pytest.fixture
def w():
    w = Warehouse()
    w.add_item("A", "a")
    w.receive("A", 10)
    return w


@pytest.mark.parametrize(("counted", "difference"), [(12, 2), (7, -3), (0, -10)])
def test_difference(w, counted, difference):
    assert w.adjust("A", counted) == difference
    assert w.item("A").on_hand == counted
    assert (w.movements[-1].quantity, w.movements[-1].reason) == (difference, "stocktake")


def test_no_difference_no_movement(w):
    assert w.adjust("A", 10) == 0
    assert len(w.movements) == 1


def test_negative(w):
    with pytest.raises(ValueError):
        w.adjust("A", -1)
    assert w.item("A").on_hand == 10


def test_reserved(w):
    w.reserve("A", 6, order="x")
    with pytest.raises(InsufficientStock) as caught:
        w.adjust("A", 5)
    assert (caught.value.wanted, caught.value.available) == (6, 5)
    assert w.item("A").on_hand == 10
    assert len(w.movements) == 1
    assert w.adjust("A", 6) == -4


def test_unknown(w):
    with pytest.raises(UnknownItem):
        w.adjust("B", 1)
