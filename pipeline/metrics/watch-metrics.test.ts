import { expect, test } from 'vitest';
import type { ObservedFinding } from '../observation/observed-finding.ts';
import { WatchMetrics } from './watch-metrics.ts';

const nothingDropped = { disk_limit: 0, disk_failure: 0, judge_memory: 0, upgraded: 0 };
const makeFinding = (requirement: string): ObservedFinding => ({
  ...{ requirement, operation: 'listModels', level: 'MUST', says: '', spec: '', at: '', expected: '' },
  ...{ actual: null, exchange: 'e1', isFirst: true },
});

test('violations beyond the first 1000 pairs of requirement and operation are counted under the label `other`', async () => {
  const metrics = await WatchMetrics.open(() => nothingDropped);
  for (let n = 0; n < 1500; n += 1) metrics.countFinding(makeFinding(`r${n}`));
  metrics.countFinding(makeFinding('r3'));
  const text = await metrics.registry.metrics();
  const rows = text.split('\n').filter((line) => line.startsWith('assay_findings_total{'));
  expect(rows).toHaveLength(1001);
  expect(rows).toContain('assay_findings_total{requirement="r3",operation="listModels",level="MUST"} 2');
  expect(rows).toContain('assay_findings_total{requirement="other",operation="other",level="MUST"} 500');
});

test('the counts of dropped evidence are read again at each scrape', async () => {
  let dropped = nothingDropped;
  const metrics = await WatchMetrics.open(() => dropped);
  expect(await metrics.registry.metrics()).toContain('assay_dropped_total{reason="disk_limit"} 0');
  dropped = { ...nothingDropped, disk_limit: 7 };
  expect(await metrics.registry.metrics()).toContain('assay_dropped_total{reason="disk_limit"} 7');
});
