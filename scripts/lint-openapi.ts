// Lints schemas/openapi.json and the files that it refers to; redocly.yaml gives the rules, with reasons for the disabled ones.
import { formatProblems, getTotals, lint, loadConfig } from '@redocly/openapi-core';

const config = await loadConfig({ configPath: 'redocly.yaml' });
const problems = await lint({ ref: 'schemas/openapi.json', config });
const totals = getTotals(problems);

// A warning fails the command as an error does.
formatProblems(problems, { format: 'codeframe', totals, version: '', color: process.stdout.isTTY });
if (totals.errors + totals.warnings > 0) process.exitCode = 1;
else console.log('schemas/openapi.json is clean.');
