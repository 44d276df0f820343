// Prints the nanoseconds of processor time that each of `count` pieces of some work took.
'use strict';

exports.spent = async (count, work) => {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  console.log(((user + system) * 1000) / count);
};
