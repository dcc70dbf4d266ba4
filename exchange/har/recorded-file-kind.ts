/** A kind of recorded file, as messages name it: flow files come from mitmproxy, lists of requests from test tools. */
export type RecordedFileKind =
  | 'HAR file'
  | 'VCR cassette'
  | 'recording of nock'
  | 'flow file'
  | 'list of requests';
