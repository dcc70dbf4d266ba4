/** Name of a file of recorded traffic in messages. */
export type RecordedFileKind =
  | 'HAR file'
  | 'VCR cassette'
  | 'recording of nock'
  | 'flow file'
  | 'list of requests';
