"""Seeds, blocks and the exact grid: a result depends on data and seed alone."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cranfield import ArgumentError
from cranfield.core.resampling import (
    BLOCK,
    SIGNS,
    TOPICS,
    all_signs,
    blocks,
    check_resamples,
    draw_signs,
    draw_topics,
    draw_weights,
    generator,
    grid_step,
    pieces,
    product,
    to_grid,
    topic_weights,
)


@pytest.mark.parametrize("draw", [draw_signs, draw_topics, draw_weights])
@pytest.mark.parametrize("n_topics", [1, 7, 64, 65, 200])
def test_rows_do_not_depend_on_how_many_are_drawn_at_once(draw, n_topics):
    (block,) = blocks(100)
    whole = draw(block.generator(5, SIGNS), 100, n_topics)
    rng = block.generator(5, SIGNS)
    cut = np.concatenate([draw(rng, stop - start, n_topics) for start, stop in pieces(block, 7)])
    assert np.array_equal(whole, cut)


def test_topic_weights_are_the_same_for_any_number_of_rows():
    whole = np.concatenate(list(topic_weights(13, 2500, seed=3)))
    assert np.array_equal(whole, np.concatenate(list(topic_weights(13, 2500, seed=3, rows=100))))
    assert whole.shape == (2500, 13)
    assert (whole.sum(axis=1) == 13).all()
    assert not np.array_equal(whole, np.concatenate(list(topic_weights(13, 2500, seed=4))))


def test_the_first_resamples_do_not_depend_on_how_many_follow():
    few, many = (np.concatenate(list(topic_weights(5, b, seed=1))) for b in (1500, 4000))
    assert np.array_equal(few, many[:1500])


def test_signs_are_fair():
    signs = draw_signs(blocks(1000)[0].generator(1, SIGNS), 1000, 100)
    assert set(np.unique(signs)) == {-1.0, 1.0}
    assert abs(signs.mean()) < 4 / np.sqrt(signs.size)
    assert np.abs(signs.mean(axis=0)).max() < 5 / np.sqrt(1000)


def test_weights_have_the_mean_and_variance_of_a_multinomial():
    weights = np.concatenate(list(topic_weights(20, 20_000, seed=2)))
    assert np.abs(weights.mean(axis=0) - 1).max() < 5 * np.sqrt(0.95 / 20_000)
    assert np.abs(weights.var(axis=0) - 0.95).max() < 0.06


def test_all_signs_enumerates_each_once():
    signs = np.concatenate([all_signs(0, 100, 10), all_signs(100, 1024, 10)])
    assert len({tuple(row) for row in signs}) == 1024


def test_streams_and_blocks_differ():
    first, second = blocks(BLOCK + 10)
    draws = [tuple(draw_signs(b.generator(1, s), 4, 64).ravel()) for b in (first, second) for s in (SIGNS, TOPICS)]
    assert len(set(draws)) == 4


@pytest.mark.parametrize("bad", [0, -1, 2.5, True, "many"])
def test_resamples_must_be_a_positive_whole_number(bad):
    with pytest.raises(ArgumentError) as error:
        check_resamples(bad)
    assert str(error.value) == f"`n_resamples` must be a whole number of at least 1; got {bad!r}. Write 100000."


@pytest.mark.parametrize("bad", [-1, 2.5, True, "one"])
def test_a_seed_must_be_a_whole_number_from_0(bad):
    with pytest.raises(ArgumentError) as error:
        generator(bad)
    assert str(error.value) == f"`seed` must be a whole number of at least 0; got {bad!r}. Write 1."


@settings(max_examples=50, deadline=None)
@given(
    st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=40),
    st.integers(-20, 20),
    st.randoms(use_true_random=False),
)
def test_sums_on_the_grid_are_exact_in_any_order(values, scale, random):
    grid = to_grid(np.ldexp(np.array(values), scale), len(values)).tolist()
    shuffled = random.sample(grid, len(grid))
    assert sum(grid) == sum(shuffled)


def test_the_grid_is_close_and_the_same_for_scores_between_0_and_1():
    scores = np.random.default_rng(1).random(1000)
    assert np.abs(to_grid(scores, 8192) - scores).max() <= 2.0**-41
    assert np.array_equal(to_grid(scores, 50), to_grid(scores, 8000))
    assert np.array_equal(to_grid(scores / 3, 50), to_grid(np.append(scores / 3, 1.0), 50)[:-1])
    assert grid_step(scores, 50) == 2.0**-40


@pytest.mark.parametrize(
    "shape", [(3, 4, 5), (129, 50, 1024), (129, 50, 1001), (300, 100, 70), (100, 3000, 90), (600, 1000, 20)]
)
def test_product_is_the_matrix_product(shape):
    rng = np.random.default_rng(1)
    left = to_grid(rng.random(shape[:2]), shape[1])
    right = rng.choice([-1.0, 1.0], (shape[2], shape[1])).T
    assert np.array_equal(product(left, right), left @ right)
