import { expect, test } from 'vitest';
import { Deferred } from './deferred.ts';

test('finish returns the current value of each entry, without explained ones', () => {
  const deferred = new Deferred<string>();
  let later = 'early';
  let isExplained = false;
  deferred.add(() => later);
  deferred.add(() => (isExplained ? null : 'explained'));
  expect(deferred.finish()).toEqual(['early', 'explained']);
  later = 'late';
  isExplained = true;
  expect(deferred.finish()).toEqual(['late']);
});

test('evidence beyond the limit replaces explained evidence, or is lost', () => {
  const deferred = new Deferred<number>(2);
  let isExplained = false;
  deferred.add(() => (isExplained ? null : 1));
  deferred.add(() => 2);
  deferred.add(() => 3);
  expect(deferred.finish()).toEqual([1, 2]);
  isExplained = true;
  deferred.add(() => 4);
  expect(deferred.finish()).toEqual([2, 4]);
});

test('adding an entry beyond the limit checks only a few of the others', () => {
  const deferred = new Deferred<number>(64);
  let checks = 0;
  const countCheck = (): number => {
    checks += 1;
    return checks;
  };
  for (let entry = 0; entry < 1064; entry += 1) deferred.add(countCheck);
  expect(checks).toBeLessThan(5000);
});

test('beyond the limit, later entries replace all explained ones', () => {
  const deferred = new Deferred<number>(64);
  let isExplained = false;
  for (let entry = 0; entry < 64; entry += 1) deferred.add(() => (isExplained ? null : 1));
  isExplained = true;
  for (let entry = 0; entry < 64; entry += 1) deferred.add(() => 2);
  expect(deferred.finish()).toEqual(Array.from({ length: 64 }, () => 2));
});

test('later entries replace most explained entries that follow unexplained ones', () => {
  const deferred = new Deferred<number>(64);
  for (let entry = 0; entry < 64; entry += 1) deferred.add(() => (entry < 32 ? entry : null));
  for (let entry = 0; entry < 32; entry += 1) deferred.add(() => 100);
  expect(deferred.finish().filter((one) => one === 100).length).toBeGreaterThan(16);
});
