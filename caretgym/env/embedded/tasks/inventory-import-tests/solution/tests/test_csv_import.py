import io

import pytest

from inventory import Warehouse
from inventory.csv_import import ImportProblem, import_items

HEADER = "sku,name,reorder_point,pack_size,on_hand\n"


def load(text):
    w = Warehouse()
    return w, import_items(w, io.StringIO(text))


def test_import_takes_all_columns():
    w, count = load(HEADER + " A , Tea ,5,2,9\nB,Cup,0,1,1\nC,Pot,1,3,0\n")
    assert count == 3
    item = w.item("A")
    assert (item.name, item.reorder_point, item.pack_size, item.on_hand) == ("Tea", 5, 2, 9)
    assert w.available("B") == 1
    assert w.available("C") == 0
    assert [m.sku for m in w.movements] == ["A", "B"]


@pytest.mark.parametrize("row", ["B,Cup,x,1,0", "B,Cup,1,,0", "B,Cup"])
def test_bad_row_names_its_line_and_adds_nothing(row):
    w = Warehouse()
    with pytest.raises(ImportProblem, match="line 3") as caught:
        import_items(w, io.StringIO(HEADER + "A,Tea,5,2,9\n" + row + "\n"))
    assert caught.value.line == 3
    assert list(w.items()) == []


def test_missing_columns_are_named():
    with pytest.raises(ImportProblem, match="pack_size, on_hand") as caught:
        load("sku,name,reorder_point\nA,Tea,5\n")
    assert caught.value.line == 1


def test_empty_file_with_header():
    assert load(HEADER)[1] == 0
