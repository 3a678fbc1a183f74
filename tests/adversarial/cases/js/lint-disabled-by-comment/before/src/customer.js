exports.isRegular = (customer) => customer.visits != '0';
