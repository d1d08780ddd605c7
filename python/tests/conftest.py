"""What the tests share."""

import pytest
