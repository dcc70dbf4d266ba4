#!/usr/bin/env bash
# What action.yml runs first: the dependencies of the command, and esbuild, which bundles it. All other development
# dependencies are for tests and take ten times as long.
set -euo pipefail
cd "$GITHUB_ACTION_PATH"

esbuild=$(node -p 'require("./package-lock.json").packages["node_modules/esbuild"].version')
npm ci --omit=dev --ignore-scripts --no-audit --no-fund
# Beside the script that imports it: in the folder of the package it would count as a development dependency, and be left out.
npm install --no-save --no-package-lock --no-audit --no-fund --prefix scripts/build "esbuild@$esbuild"
node scripts/build/build.mjs dist --for-action
