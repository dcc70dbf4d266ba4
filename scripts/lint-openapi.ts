// Lints schemas/openapi.json and all that it refers to with a public linter; redocly.yaml says which rules and why not.
import { formatProblems, getTotals, lint, loadConfig } from '@redocly/openapi-core';

const config = await loadConfig({ configPath: 'redocly.yaml' });
const problems = await lint({ ref: 'schemas/openapi.json', config });
const totals = getTotals(problems);

// Warnings fail as errors do: one that is accepted is switched off in redocly.yaml, with the reason.
formatProblems(problems, { format: 'codeframe', totals, version: '', color: process.stdout.isTTY });
if (totals.errors + totals.warnings > 0) process.exitCode = 1;
else console.log('schemas/openapi.json is clean.');
