import { afterAll, afterEach, expect, it, vi } from 'vitest';

vi.stubGlobal('document', { baseURI: 'https://mail.example.com/app/' });

let beforeAnswer = () => {};
class RefusedRequest {
  upload = {};
  status = 401;
  responseText = '{"error":{"message":"Sign in first"}}';
  onload = () => {};
  open(): void {}
  setRequestHeader(): void {}
  getResponseHeader = () => null;
  send(): void {
    beforeAnswer();
    this.onload();
  }
}
vi.stubGlobal('XMLHttpRequest', RefusedRequest);
const { beginSession, whenSignedOut } = await import('../../api/client.ts');
const { uploadImage } = await import('./upload-image.ts');

const asks = vi.fn();
const unset = whenSignedOut(asks);
const upload = () => uploadImage(new File(['x'], 'x.png'), {}, () => {});

afterEach(() => {
  asks.mockClear();
});
afterAll(() => {
  unset();
  vi.unstubAllGlobals();
});

it('asks the user to sign in again if the session has ended', async () => {
  await expect(upload()).rejects.toThrow('The session had ended');
  expect(asks).toHaveBeenCalledOnce();
});

it('does not ask a user who has signed in again during the upload', async () => {
  beforeAnswer = beginSession;
  await expect(upload()).rejects.toThrow('The session had ended');
  expect(asks).not.toHaveBeenCalled();
});
