#!/usr/bin/env bash
# action.yml runs this first: it installs the dependencies of the command, and esbuild, which bundles it. All other development
# dependencies are for tests and take ten times as long.
set -euo pipefail
cd "$GITHUB_ACTION_PATH"

npm ci --omit=dev --ignore-scripts --no-audit --no-fund
# Next to the script that imports it: in the folder of the package npm would omit it as a development dependency.
# npm compares each package with its digest in the lock file; none of them runs a script.
node scripts/build/lock-esbuild.mjs
npm ci --ignore-scripts --no-audit --no-fund --prefix scripts/build
rm scripts/build/package.json scripts/build/package-lock.json
node scripts/build/build.mjs dist --for-action
