import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readSettings } from '../../drive/configuration/settings.ts';
import { runScenarios } from '../../drive/run.ts';
import { isScenario } from '../../drive/scenario/scenario.ts';
import { readTrace } from '../../exchange/cassette/cassette.ts';
import type { Catalogue } from '../../judge/requirements/catalogue.ts';
import { type Example, findExample } from '../../proof/example.ts';
import { failureText } from '../../reports/failure/failure.ts';
import { MIN_COLUMNS, wireLines } from '../../reports/failure/wire.ts';
import { prepareTarget } from '../target.ts';

/** Columns that the indentation of an exchange takes, with two to spare. */
const INDENT_COLUMNS = 6;

/** Shows an exchange that passes and, if there is one, a mutant that fails, for a terminal of `width` columns. */
export async function exampleText(requirement: string, catalogue: Catalogue, width: number): Promise<string> {
  const example = await produceExample(requirement, catalogue);
  if (example === null) return '\n  The embedded reference shows no evidence for this requirement.\n';
  const { passing, failing } = example;
  const blocks = [
    [
      'example that passes',
      ...indentLines(wireLines(passing, [], Math.max(width - INDENT_COLUMNS, MIN_COLUMNS))),
    ],
  ];
  if (failing !== null) {
    const text = failureText(failing.verdict, {
      exchange: (id) => failing.exchanges.find((exchange) => exchange.id === id),
      rerunCommand: () => '',
      claimCommand: () => '',
      baseUrl: null,
      keyVariable: '',
      cassette: null,
      source: () => null,
      width,
    });
    const [finding] = text.findings;
    const details =
      finding === undefined
        ? []
        : [`at        ${finding.at}`, `expected  ${finding.expected}`, `actual    ${finding.actual}`, ''];
    blocks.push([
      `example that fails: ${failing.mutant}`,
      ...indentLines([...details, ...(text.wire[0] ?? [])]),
    ]);
  }
  return blocks.map((lines) => `\n  ${lines.join('\n')}\n`).join('');
}

async function produceExample(id: string, catalogue: Catalogue): Promise<Example | null> {
  const reportDir = mkdtempSync(join(tmpdir(), 'assay-explain-'));
  try {
    // Environment and configuration file are ignored: an example must not depend on where it is produced.
    const flags = { only: [id], scenario: unlistedScenariosFor(id, catalogue), reportDir };
    const { configuration, close } = await prepareTarget(
      readSettings({ flags, env: {}, file: null, readText: () => '' }),
    );
    try {
      const { cassette } = await runScenarios(configuration);
      return findExample(catalogue, await readTrace(cassette), id);
    } finally {
      await close();
    }
  } finally {
    rmSync(reportDir, { recursive: true, force: true });
  }
}

/** Scenarios to name for a requirement without recorded evidence, for which `only` would select none. */
function unlistedScenariosFor(id: string, { scenarios, requirementSets }: Catalogue): readonly string[] {
  if (scenarios.some(({ shows }) => shows?.has(id))) return [];
  const all = requirementSets.flatMap(({ requirements }) => requirements);
  const needed = all.find((one) => one.id === id)?.operations ?? [];
  return scenarios
    .filter(isScenario)
    .filter(({ operations }) => operations.some((one) => needed.includes(one)))
    .map(({ name }) => name);
}

function indentLines(lines: readonly string[]): string[] {
  return ['', ...lines].map((line) => (line === '' ? '' : `    ${line}`));
}
