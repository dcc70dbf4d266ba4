// redocly.yaml states why rules are disabled.
import { formatProblems, getTotals, lint, loadConfig } from '@redocly/openapi-core';

const config = await loadConfig({ configPath: 'redocly.yaml' });
const problems = await lint({ ref: 'schemas/openapi.json', config });
const totals = getTotals(problems);

formatProblems(problems, { format: 'codeframe', totals, version: '', color: process.stdout.isTTY });
// Warnings fail the command too.
if (totals.errors + totals.warnings > 0) process.exitCode = 1;
else console.log('schemas/openapi.json is clean.');
