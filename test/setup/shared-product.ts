import { startProductWithAccountMail } from './account-mail.ts';
import { fileFixture } from './fixtures.ts';
import { emptyInbox } from './inbox.ts';
import type { TestProduct } from './product.ts';

let shared: Promise<TestProduct> | undefined;

/**
 * The product that the test files of a worker share; it ends with the worker. Tests use their own projects, and restore
 * settings and faults of the local SES. The inbox is empty at the start of each file. The test runner recognizes files
 * that share the product by this function's name.
 */
export const useSharedProduct = (): TestProduct =>
  fileFixture(async () => {
    shared ??= startProductWithAccountMail({ OUTBOUND_ALLOW_HOSTS: '127.0.0.1' });
    const product = await shared;
    await emptyInbox(product.ses);
    return product;
  });
