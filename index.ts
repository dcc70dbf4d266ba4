// Exports the API of the package for programs. Test frameworks and suites have entry points of their own.

export { type Cassette, openCassette, readTrace } from './exchange/cassette/cassette.ts';
export { CassetteError } from './exchange/cassette/cassette-error.ts';
export { recoverCassette } from './exchange/cassette/finish.ts';
export { type DetectedSecret, scanForSecrets } from './exchange/cassette/secret-scan.ts';
export type { Exchange, HttpRequest, HttpResponse } from './exchange/exchange.ts';
export { importHar } from './exchange/har/read.ts';
export { exportHar } from './exchange/har/write.ts';
export { Redactor, type RedactorOptions } from './exchange/redaction/redactor.ts';
export { isNote, type Note, type TraceHeader, type TraceItem } from './exchange/trace.ts';
export { judgeTrace, openJudge } from './explain/judge.ts';
export type { TraceJudge as Judge } from './judge/judge.ts';
export { evaluateGate, type GateOptions } from './judge/verdict/gate.ts';
export type { GateResult } from './judge/verdict/gate-result.ts';
export type { Finding, Judgement, RequirementVerdict } from './judge/verdict/verdict.ts';
export { startReference } from './pipeline/faulty-reference/faulty-reference.ts';
export { type Configuration, runConformance } from './pipeline/programmatic-run.ts';
export type { RunEvent, RunOptions, RunOutcome } from './pipeline/run.ts';
export { type Recorder, type RecordOptions, startRecorder } from './proxy/record/record.ts';
export { parseChunking } from './proxy/replay/chunking.ts';
export {
  type Replayer,
  type ReplayOptions,
  type ReplayReport,
  startReplayer,
} from './proxy/replay/replay.ts';
export type { Drift } from './proxy/verify/value-drift.ts';
export { type VerifyOptions, type VerifyReport, verifyCassette } from './proxy/verify/verify.ts';
export type { Reference, ReferenceOptions } from './reference/service.ts';
export { makeReport, type ReportInput } from './reports/make-report.ts';
export { type Report, reportJson } from './reports/report.ts';
export { catalogue } from './suites/index.ts';
