import io

import pytest

from inventory import Warehouse
from inventory.csv_import import ImportProblem, import_items

HEADER = "sku,name,reorder_point,pack_size,on_hand\n"


def test_import():
    w = Warehouse()
    assert import_items(w, io.StringIO(HEADER + "A,Tea,5,2,9\nB,Cup,0,1,0\n")) == 2
    assert w.available("A") == 9


def test_bad_row_names_its_line_and_adds_nothing():
    w = Warehouse()
    with pytest.raises(ImportProblem) as caught:
        import_items(w, io.StringIO(HEADER + "A,Tea,5,2,9\nB,Cup,x,1,0\n"))
    assert caught.value.line == 3
    assert list(w.items()) == []
