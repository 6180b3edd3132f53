/** An error response in ClickHouse's own format. */
export class StatementError extends Error {
  readonly status: number;

  constructor(code: number, name: string, text: string, status = 500) {
    super(`Code: ${code}. DB::Exception: ${text}. (${name})`);
    this.status = status;
  }
}
