// Add a listener for every job and never remove one.
'use strict';

const { EventEmitter } = require('node:events');

const jobs = new EventEmitter();
jobs.setMaxListeners(0);

function begin(number) {
    const result = Buffer.alloc(20000, number % 256);

    jobs.on('done', () => result.length);
}

let number = 0;
const timer = setInterval(() => {
    begin(number++);
    if (number === 300)
        clearInterval(timer);
}, 5);
