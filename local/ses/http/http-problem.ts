/** A refusal of the inbox API or page, answered as `{ error: { message } }` with `status`. */
export class HttpProblem extends Error {
  override readonly name = 'HttpProblem';
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}
