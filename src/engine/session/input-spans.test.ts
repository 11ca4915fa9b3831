import { expect, test } from 'vitest';
import type { TimelineEntry } from '../../shared/timeline.ts';
import { InputSpans } from './input-spans.ts';

const span = (number: number, offset: number, bytes = 1): TimelineEntry => ({
  number,
  atMs: number,
  by: { kind: 'person' },
  act: { kind: 'wrote', times: 1, bytes },
  offset,
});

test('spans are found by where the output stood when they began, however many there are', () => {
  const spans = new InputSpans();
  for (let number = 1; number <= 900; number += 1) {
    spans.note(span(number, number - (number % 2)));
  }
  expect(spans.at(100).map(({ number }) => number)).toEqual([100, 101]);
  expect(spans.at(101)).toEqual([]);
  expect(spans.at(0).map(({ number }) => number)).toEqual([1]);
});

test('what has come or grown since a revision is told, and nothing else', () => {
  const spans = new InputSpans();
  spans.note(span(1, 0));
  spans.note(span(3, 10));
  const { revision } = spans;
  expect(spans.since(revision)).toEqual([]);
  spans.note(span(1, 0, 7));
  expect(spans.since(revision)).toEqual([span(1, 0, 7)]);
  spans.note(span(4, 12));
  expect(spans.since(revision)).toEqual([span(1, 0, 7), span(4, 12)]);
  expect(spans.since(0)).toHaveLength(3);
});

test('the same again is no news', () => {
  const spans = new InputSpans();
  const one = span(1, 0);
  spans.note(one);
  const { revision } = spans;
  spans.note(one);
  expect(spans.revision).toBe(revision);
});

test('of very many the newest stay', () => {
  const spans = new InputSpans();
  for (let number = 1; number <= 10_000; number += 1) {
    spans.note(span(number, number));
  }
  expect(spans.since(0).length).toBeLessThanOrEqual(1_000);
  expect(spans.at(10_000)).toHaveLength(1);
  expect(spans.at(5)).toEqual([]);
});
