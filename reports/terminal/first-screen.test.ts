import { expect, test } from 'vitest';
import { sampleReport } from '../testing/sample.ts';
import { coloursFor } from '../words/colours.ts';
import { firstScreen } from './terminal.ts';

const options = { paint: coloursFor('off'), columns: null, written: [] };

test('the first screen names choices in which the target differs from most services', () => {
  const { report, evidence } = sampleReport('broken');
  const choice = { spec: '2', says: 'Which.', taken: ['stop'], consistent: true, usual: ['length'] };
  const choices = [{ ...choice, id: 'chat.finish-reason.at-limit' }];
  const shown = firstScreen({ ...report, choices }, { ...evidence, ...options });
  expect(shown).toContain(
    '\n- unlike most services: chat.finish-reason.at-limit is "stop", usually "length"\n',
  );
});

test('the first screen counts the SHOULDs that are not met', () => {
  const { report, evidence } = sampleReport('broken');
  const shown = firstScreen(report, { ...evidence, ...options });
  expect(shown).toContain('\n- 1 SHOULD is not met (a warning)\n');
});

test('the first screen proposes a dialect', () => {
  const { report, evidence } = sampleReport('broken');
  const hint = { kind: 'dialect-would-excuse', dialect: 'compatible', failures: 3 } as const;
  const shown = firstScreen({ ...report, hints: [hint] }, { ...evidence, ...options });
  expect(shown).toMatch(/^hint: --dialect compatible excuses 3 of the failing requirements/m);
});
