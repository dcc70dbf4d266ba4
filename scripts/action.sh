#!/usr/bin/env bash
# action.yml runs this: it passes the inputs (INPUT_*) to `assay run`, then writes outputs and step summary from the report.
set -uo pipefail

assay="$GITHUB_ACTION_PATH/dist/cli/main.js"
flags=(--report terminal,json,junit,html,markdown,github,comment --report-dir "$INPUT_REPORT_DIR" --wait-for "$INPUT_WAIT_FOR")
[[ -n $INPUT_URL ]] && flags+=(--base-url "$INPUT_URL")
[[ -n $INPUT_KEY_ENV ]] && flags+=(--api-key-env "$INPUT_KEY_ENV")
[[ -n $INPUT_SECOND_KEY_ENV ]] && flags+=(--second-key-env "$INPUT_SECOND_KEY_ENV")
[[ -n $INPUT_CLAIM ]] && flags+=(--claim "$INPUT_CLAIM")
# The earlier report does not exist before the first run, which therefore only warns.
if [[ -n $INPUT_COMPARE_TO && -e $INPUT_COMPARE_TO ]]; then
  flags+=(--compare-to "$INPUT_COMPARE_TO")
elif [[ -n $INPUT_COMPARE_TO ]]; then
  path=${INPUT_COMPARE_TO//'%'/%25}
  path=${path//$'\r'/%0D}
  echo "::warning title=assay::compare-to: ${path//$'\n'/%0A} does not exist, so this run is compared with no earlier one. Correct the path, unless no run has written it yet."
fi
[[ -n $INPUT_BASELINE ]] && flags+=(--baseline "$INPUT_BASELINE")
while IFS= read -r model; do [[ -n $model ]] && flags+=(--model "$model"); done <<<"$INPUT_MODELS"
while IFS= read -r word; do [[ -n $word ]] && flags+=("$word"); done <<<"$INPUT_ARGS"

# An earlier step may have left a report.
report="$INPUT_REPORT_DIR/report.json"
rm -f "$report" "$INPUT_REPORT_DIR/comment.md"

node "$assay" run "${flags[@]}"
code=$?
echo "exit-code=$code" >>"$GITHUB_OUTPUT"

if [[ -f $report ]]; then
  node --input-type=module -e '
    import { readFileSync } from "node:fs";
    const { summary } = JSON.parse(readFileSync(process.argv[1], "utf8"));
    const { requirements, operations } = summary;
    console.log(`verdict=${summary.verdict}`);
    console.log(`passed=${requirements.pass}`);
    console.log(`failed=${requirements.fail}`);
    console.log(`exercised=${operations.exercised}`);
    console.log(`report=${process.argv[1]}`);
  ' "$report" >>"$GITHUB_OUTPUT"
  cat "$INPUT_REPORT_DIR/summary.md" >>"$GITHUB_STEP_SUMMARY"
fi
exit "$code"
