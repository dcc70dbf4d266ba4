// What the package gives to programs; everything else is behind the command `assay`.

export { CassetteError } from './exchange/cassette/error.ts';
export { recover } from './exchange/cassette/finish.ts';
export { findLeaks, type Leak } from './exchange/cassette/leaks.ts';
export { type Cassette, openCassette, readTrace } from './exchange/cassette/read.ts';
export type { Exchange, HttpRequest, HttpResponse } from './exchange/exchange.ts';
export { importHar } from './exchange/har/read.ts';
export { exportHar } from './exchange/har/write.ts';
export { Redactor, type RedactorOptions } from './exchange/redact.ts';
export { isNote, type Note, type TraceHeader, type TraceItem } from './exchange/trace.ts';
export { type Judge, judge, openJudge } from './judge/court.ts';
export { type GateOptions, gate } from './judge/gate.ts';
export type { Finding, Gate, Judgement, RequirementVerdict } from './judge/verdict.ts';
export { type Configuration, run } from './pipeline/programmatic-run.ts';
export type { RunEvent, RunOptions, RunOutcome } from './pipeline/run.ts';
export { parseChunking } from './proxy/chunking.ts';
export type { Drift } from './proxy/drift.ts';
export { type Recorder, type RecordOptions, record } from './proxy/record.ts';
export { type Replayer, type ReplayOptions, type ReplayReport, replay } from './proxy/replay.ts';
export { type VerifyOptions, type VerifyReport, verify } from './proxy/verify.ts';
export { type Reference, type ReferenceOptions, startReference } from './reference/service.ts';
export { makeReport, type Report, type ReportInput, reportJson } from './reports/report.ts';
export { catalogue } from './suites/index.ts';
