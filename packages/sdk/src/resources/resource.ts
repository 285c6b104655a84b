import type { Http } from '../http.ts';

/** What the districts share: the way to send. */
export class Resource {
  protected readonly http: Http;

  constructor(http: Http) {
    this.http = http;
  }
}
