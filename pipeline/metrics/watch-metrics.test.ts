import { expect, test } from 'vitest';
import type { ObservedFinding } from '../observation/observed-traffic.ts';
import { WatchMetrics } from './watch-metrics.ts';

const none = { disk_limit: 0, disk_failure: 0, judge_memory: 0, upgraded: 0 };
const findingOf = (requirement: string): ObservedFinding => ({
  ...{ requirement, operation: 'listModels', level: 'MUST', says: '', spec: '', at: '', expected: '' },
  ...{ actual: null, exchange: 'e1', isFirst: true },
});

test('labels stay few, however many requirements are broken', async () => {
  const metrics = await WatchMetrics.open(() => none);
  for (let n = 0; n < 1500; n += 1) metrics.countFinding(findingOf(`r${n}`));
  metrics.countFinding(findingOf('r3'));
  const text = await metrics.registry.metrics();
  const rows = text.split('\n').filter((line) => line.startsWith('assay_findings_total{'));
  expect(rows).toHaveLength(1001);
  expect(rows).toContain('assay_findings_total{requirement="r3",operation="listModels",level="MUST"} 2');
  expect(rows).toContain('assay_findings_total{requirement="other",operation="other",level="MUST"} 500');
});

test('dropped evidence is read again at each scrape', async () => {
  let dropped = none;
  const metrics = await WatchMetrics.open(() => dropped);
  expect(await metrics.registry.metrics()).toContain('assay_dropped_total{reason="disk_limit"} 0');
  dropped = { ...none, disk_limit: 7 };
  expect(await metrics.registry.metrics()).toContain('assay_dropped_total{reason="disk_limit"} 7');
});
