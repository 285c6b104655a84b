import type { Http } from '../http.ts';

/** Base of the groups of operations; it holds the connection. */
export class Resource {
  protected readonly http: Http;

  constructor(http: Http) {
    this.http = http;
  }
}
