#!/usr/bin/env bash
# action.yml runs this first: it installs the dependencies of the command, and esbuild, which bundles it. All other development
# dependencies are for tests and take ten times as long.
set -euo pipefail
cd "$GITHUB_ACTION_PATH"

esbuild=$(node -p 'require("./package-lock.json").packages["node_modules/esbuild"].version')
npm ci --omit=dev --ignore-scripts --no-audit --no-fund
# Next to the script that imports it: in the folder of the package npm would omit it as a development dependency.
npm install --no-save --no-package-lock --no-audit --no-fund --prefix scripts/build "esbuild@$esbuild"
node scripts/build/build.mjs dist --for-action
